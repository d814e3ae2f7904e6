/**
 * Links user code after our modules, so that the compiler reports an unbalanced bracket in the user's own lines. The
 * names that our modules declare at module scope get a prefix, except the public ones. So user code may define any name
 * that is not public.
 */
import { DECLARATION, type ShaderSource, type SourceLine, type UserCode } from './link';

/** Marks bindings that a user named. Their names may equal names in our modules. */
export const USER = 'user:';

export const PREFIX = 'cellstorm_';

/** User code may use the `publicNames`, and must not define them. */
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
    // A comment, or a member with its dot, matches as a whole. It is not in `names`, so it stays the same.
    const text = line.text.replace(/\/\/.*|\.\s*\w+|\b[A-Za-z_]\w*/g, (token) =>
      names.has(token) ? `${PREFIX}${token}` : token,
    );
    return { ...line, text };
  });
}
