import type { CheckRow, TopState } from '../model/state.ts'

/** Of the 120 reads that a key has a minute, so that whoever shares the key can work as well. */
export const readsPerMinuteMax = 60
const windowMs = 60_000

/** How old an answer may be before it is asked for again, where a stream tells of changes between. */
const listMsMax = 60_000
const listAgainMs = 10_000
const openedMsMax = 15_000
const detailMsMax = 120_000

export type Read =
  | { kind: 'account' }
  | { kind: 'list' }
  | { kind: 'detail'; checkId: string }
  | { kind: 'readings'; checkId: string }

/**
 * What to read next, the most needed first: the list, the check that is opened, then the rows that
 * can be seen, each once after every connection and again when it is old.
 * @param visible ids of the rows that can be seen, in their order
 * @param sent when the reads of the last minute were sent
 * @returns also how many reads wait because their share is used up
 */
export const nextRead = (
  state: TopState,
  { visible, sent, nowMs }: { visible: readonly string[]; sent: readonly number[]; nowMs: number },
): { read: Read | null; waiting: number } => {
  const due = dueReads(state, visible, nowMs)
  const used = sent.filter((sentMs) => nowMs - sentMs < windowMs).length
  return used < readsPerMinuteMax
    ? { read: due[0] ?? null, waiting: 0 }
    : { read: null, waiting: due.length }
}

const dueReads = (state: TopState, visible: readonly string[], nowMs: number): Read[] => {
  const { connection, listedMs, account, opened, checks } = state
  const isDue = (readMs: number | null, msMax: number): boolean =>
    readMs === null || readMs < (connection.connectedMs ?? 0) || nowMs - readMs >= msMax
  const rows = visible.flatMap((id) => checks.get(id) ?? [])
  const due: Read[] = []
  if (isDue(listedMs, state.isUnlisted ? listAgainMs : listMsMax)) due.push({ kind: 'list' })
  if (account === null) due.push({ kind: 'account' })
  if (opened !== null) {
    const { checkId, readMs } = opened
    if (isDue(readMs, Number.POSITIVE_INFINITY)) due.push({ kind: 'readings', checkId })
    const row = checks.get(checkId)
    if (row !== undefined && isDue(row.detailedMs, openedMsMax)) due.push(detailOf(row))
  }
  return [...due, ...rows.filter((row) => isDue(row.detailedMs, detailMsMax)).map(detailOf)]
}

const detailOf = ({ id }: CheckRow): Read => ({ kind: 'detail', checkId: id })
