/** wgsl-preprocessor 1.0.1 ships no types. */
declare module 'wgsl-preprocessor/wgsl-preprocessor.js' {
  export function wgsl(strings: TemplateStringsArray, ...values: unknown[]): string;
}
