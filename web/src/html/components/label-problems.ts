/** How a summary names a field before its label is known: by the field's id, and its name in words. */
const mark = /<span data-label-of="([\w-]+)">[^<]*<\/span>/g

/**
 * Has every summary of problems name the fields as their labels do, which stand further down in the
 * same page; what has no label keeps the name that it has. Pure.
 * @param page a whole page, escaped
 */
export const labelProblems = (page: string): string =>
  page.includes('data-label-of=')
    ? page.replace(mark, (said, id: string) => `<span>${labelIn(page, id) ?? textIn(said)}</span>`)
    : page

/** Of a field, its label; of a group, its legend. */
const labelIn = (page: string, id: string): string | null => {
  const label = new RegExp(`<label\\s+for="${id}"\\s*>([^<]*)</label`).exec(page)?.[1]
  const legend = new RegExp(`<fieldset\\b[^>]*\\sid="${id}"[^>]*>\\s*<legend>([^<]*)</legend`)
  const text = (label ?? legend.exec(page)?.[1])?.trim()
  return text === undefined || text === '' ? null : text
}

const textIn = (span: string): string => span.replace(/<[^>]*>/g, '')

/** `currentPassword` as people read it: `Current password`. Pure. */
export const wordsOf = (name: string): string => {
  const words = name
    .replace(/[[\].]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
