/** wgsl_reflect 1.6.0 ships its types for the package, not for the one path that Node can import. */
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}
