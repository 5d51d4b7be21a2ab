const reference = /\{\{\s*secret\.([A-Za-z]\w{0,63})\s*\}\}/g

/** The names of the secrets in texts, sorted, each once. */
export const secretsIn = (texts: readonly string[]): string[] => {
  const names = texts.flatMap((text) => [...text.matchAll(reference)].map(([, name = '']) => name))
  return [...new Set(names)].toSorted()
}

/**
 * Replaces each {{ secret.name }}.
 * @param valueOf the text for a name; undefined leaves the reference
 */
export const withSecrets = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replaceAll(reference, (whole, name: string) => valueOf(name) ?? whole)
