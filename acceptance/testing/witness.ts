import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** A target failed everywhere in this time, and every part had the time to see it. Unix ms. */
export type Failure = { fromMs: number; toMs: number }

type FlipRow = { check_id: string; to_status: string; at: Date }

/**
 * What is wrong with the flips of checks that watched long failures: each failure must have led to
 * down while it lasted, not have ended before it did, and have ended afterwards.
 * @param freshMs how long a reading counts: what was measured within a failure may come, and lead to
 * down once more, for so long after its end
 */
export const witnessFlips = async (
  sql: Sql,
  checkIds: readonly string[],
  failures: readonly Failure[],
  freshMs: number,
): Promise<string[]> => {
  const rows = await sql<FlipRow[]>`
    select check_id, to_status, at from flips where check_id = any(${[...checkIds]}::uuid[])
    order by check_id, version`
  return checkIds.flatMap((checkId) => {
    const flips = rows
      .filter((row) => row.check_id === checkId)
      .map((row) => ({ to: row.to_status, atMs: row.at.getTime() }))
    return wrongFailures(flips, failures, freshMs).map((wrong) => `${checkId}: ${wrong}`)
  })
}

/** @param flips of one check, in order */
export const wrongFailures = (
  flips: readonly { to: string; atMs: number }[],
  failures: readonly Failure[],
  freshMs: number,
): string[] =>
  failures.flatMap(({ fromMs, toMs }, index) => {
    const endMs = failures[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY
    const during = flips.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    const after = flips.filter(({ atMs }) => atMs >= toMs && atMs < endMs)
    const down = during.findIndex(({ to }) => to === 'down')
    return [
      ...(down === -1 ? [`no flip to down in failure ${index}`] : []),
      ...(during.slice(down + 1).some(({ to }) => to === 'operational') && down !== -1
        ? [`a flip to operational within failure ${index}`]
        : []),
      ...(after.some(({ to }) => to === 'operational')
        ? []
        : [`no flip to operational after failure ${index}`]),
      ...(after.some(({ to, atMs }) => to === 'down' && atMs > toMs + freshMs)
        ? [`a flip to down after failure ${index}`]
        : []),
    ]
  })
