const beginOf = (name: string): string => `<!-- derived: ${name} -->`
const end = '<!-- end -->'

/**
 * A document with its tables as they follow from what was measured.
 * @param tables by the names at which they stand
 * @throws Error that names a table without a place
 */
export const withTables = (
  text: string,
  tables: Readonly<Record<string, string>>,
  path: string,
): string =>
  Object.entries(tables).reduce((document, [name, table]) => {
    const from = document.indexOf(beginOf(name))
    const until = document.indexOf(end, from)
    if (from < 0 || until < 0) throw new Error(`${path} has no place for ${name}`)
    const head = document.slice(0, from + beginOf(name).length)
    return `${head}\n\n${table}\n\n${document.slice(until)}`
  }, text)
