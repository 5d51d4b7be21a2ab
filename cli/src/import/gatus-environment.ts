/** `$$` stands for a dollar; with anything of a name after it, a variable of the environment. */
const variable = /\$(?:\$|\{([^}]*)\}|([A-Za-z_]\w*|[\d*#@!?-]))/g

/**
 * The text as Gatus reads it, which puts the environment's variables into its configuration.
 * @returns null where a variable is named: its value is not in the file
 */
export const withoutVariables = (text: string): string | null => {
  if (Array.from(text.matchAll(variable)).some(([found]) => found !== '$$')) return null
  return text.replaceAll('$$', () => '$')
}
