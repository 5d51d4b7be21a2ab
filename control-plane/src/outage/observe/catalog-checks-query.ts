/** Ids in one parameter: a server takes no field of a form above 128 KiB. */
const idsPerParameter = 2_000
/** Checks asked about in one statement where an answer has rows of each: it stays a few megabytes. */
const checksPerStatement = 1_000

/** A condition that holds for the rows of some checks, however many, and its parameters. */
export const ofChecks = (
  checkIds: readonly string[],
): { condition: string; params: Record<string, string[]> } => {
  const params: Record<string, string[]> = {}
  for (let from = 0; from < checkIds.length; from += idsPerParameter) {
    params[`checks${from}`] = checkIds.slice(from, from + idsPerParameter)
  }
  const parts = Object.keys(params).map((name) => `check_id in {${name}:Array(UUID)}`)
  return { condition: parts.length === 0 ? 'false' : `(${parts.join(' or ')})`, params }
}

/**
 * Checks in parts for a statement each, in the order in which they are stored, so that each reads a
 * range of its own: ClickHouse compares UUIDs by their second half first.
 */
export const partsOfChecks = (checkIds: readonly string[]): string[][] => {
  const sorted = checkIds
    .map((id) => ({ id, key: `${id.slice(19)}${id.slice(0, 18)}` }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ id }) => id)
  const count = Math.ceil(sorted.length / checksPerStatement)
  return Array.from({ length: count }, (_, part) =>
    sorted.slice(part * checksPerStatement, (part + 1) * checksPerStatement),
  )
}
