import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'

/** A period in which a target failed everywhere, long enough for every part to see it. Unix ms. */
export type Failure = { fromMs: number; toMs: number }

type FlipRow = { check_id: string; to_status: string; at: Date }

/**
 * Lists wrong flips of checks of long failures: each failure must lead to down while it lasts, must not end
 * early, and must end afterwards.
 * @param freshMs how long a reading counts: a late reading of a failure may lead to down again for this time
 * after its end
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
