/**
 * A user's code, linked after our modules. Our names get a prefix, except those that the code may use, so that the code
 * is free to define any other name. It comes last, so that a bracket it leaves open or closes twice is an error in its
 * own lines. It is not preprocessed: a `#` means what WGSL takes it for.
 */
import { DECLARATION, type ShaderSource, type SourceLine, type UserCode } from './link';

/** Marks the names of bindings that a user chose. They may equal names of ours. */
export const USER = 'user:';

/** Precedes our names at module scope. */
export const PREFIX = 'cellstorm_';

/** `publicNames`: names of ours that the code may use and therefore not define. */
export function userCode(sources: readonly ShaderSource[], publicNames: readonly string[]): UserCode {
  return {
    appendTo: (ours) => [
      ...withPrefix(ours, publicNames),
      ...sources.flatMap(({ name, text }) =>
        text.split(/\r?\n/).map((line, index) => ({ file: name, line: index + 1, text: line })),
      ),
    ],
    nameOf: (entryPoint) => `${PREFIX}${entryPoint}`,
  };
}

function withPrefix(lines: readonly SourceLine[], publicNames: readonly string[]): SourceLine[] {
  const isUsers = (text: string) => text.includes(`> ${USER}`);
  const names = new Set(lines.map(({ text }) => (isUsers(text) ? undefined : DECLARATION.exec(text)?.[1])));
  for (const name of publicNames) names.delete(name);
  return lines.map((line) => {
    if (isUsers(line.text)) return { ...line, text: line.text.replace(USER, '') };
    // Comments and members match as a whole and so keep their text.
    const text = line.text.replace(/\/\/.*|\.\s*\w+|\b[A-Za-z_]\w*/g, (token) =>
      names.has(token) ? `${PREFIX}${token}` : token,
    );
    return { ...line, text };
  });
}
