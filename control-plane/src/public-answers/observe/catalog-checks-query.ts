/** Ids per query parameter: ClickHouse limits a form field to 128 KiB. */
const idsPerParameter = 2_000
/** Checks per statement, so that a result with rows of each check stays at a few megabytes. */
const checksPerStatement = 1_000

/** A condition that selects the rows of any number of checks, with its parameters. */
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
 * Splits checks into one part per statement. The parts follow the storage order, so that each statement reads
 * its own range: ClickHouse sorts UUIDs by their second half first.
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
