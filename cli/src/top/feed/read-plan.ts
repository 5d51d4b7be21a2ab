import type { CheckRow, TopState } from '../model/state.ts'

/** Half of the 120 reads a minute of a key, so that other users of the key can work. */
export const readsPerMinuteMax = 60
const windowMs = 60_000

/** The maximum age of an answer before it is read again; the stream reports changes in between. */
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
 * The next read, most needed first: the list, the opened check, then visible rows, each once per
 * connection and again when old.
 * @param visible ids of the visible rows in order
 * @param sent times of the reads of the last minute
 * @returns also how many reads wait for the limit
 */
export const nextRead = (
  state: TopState,
  { visible, sent, nowMs }: { visible: readonly string[]; sent: readonly number[]; nowMs: number },
): { read: Read | null; waiting: number } => {
  const due = dueReads(state, visible, nowMs)
  const used = sent.filter((sentMs) => nowMs - sentMs < windowMs).length
  return used < readsPerMinuteMax ? { read: due[0] ?? null, waiting: 0 } : { read: null, waiting: due.length }
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
