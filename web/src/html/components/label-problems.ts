/** A field in a summary before its label is known: its id, and its name in words. */
const mark = /<span data-label-of="([\w-]+)">[^<]*<\/span>/g

/**
 * Replaces field names in summaries by the labels of the fields further down in the page. A field without a
 * label keeps its name.
 * @param page a whole page, escaped
 */
export const labelProblems = (page: string): string =>
  page.includes('data-label-of=')
    ? page.replace(mark, (said, id: string) => `<span>${labelIn(page, id) ?? textIn(said)}</span>`)
    : page

/** The label of a field, or the legend of a group. */
const labelIn = (page: string, id: string): string | null => {
  // bounded: pages are our own
  const label = new RegExp(`<label\\s+for="${id}"\\s*>([^<]*)</label`).exec(page)?.[1]
  const legend = new RegExp(`<fieldset\\b[^>]*\\sid="${id}"[^>]*>\\s*<legend>([^<]*)</legend`)
  const text = (label ?? legend.exec(page)?.[1])?.trim()
  return text === undefined || text === '' ? null : text
}

const textIn = (span: string): string => span.replace(/<[^<>]*>/g, '')

/** `currentPassword` in words: `Current password`. */
export const wordsOf = (name: string): string => {
  const words = name
    .replace(/[[\].]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
