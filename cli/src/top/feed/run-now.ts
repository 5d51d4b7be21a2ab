import type { ApiClient } from '@probe-mesh/contracts/api/client'
import { whyUnanswered } from '../../api/why-unanswered.ts'
import type { FeedEvent } from '../model/reduce.ts'

/** Has a check measured once from every region, and tells what came of it. */
export const runNow = async (
  {
    client,
    tell,
    signal,
    apiUrl,
  }: {
    client: ApiClient
    tell: (event: FeedEvent) => void
    signal: AbortSignal
    apiUrl: string
  },
  checkId: string,
): Promise<void> => {
  tell({ kind: 'runStarted', checkId })
  try {
    const answer = await client.call('runCheck', { params: { id: checkId } }, signal)
    if (!answer.ok) {
      const { message, code } = answer.problem
      tell({ kind: 'runEnded', said: `${message} (${code})`, isRefused: true })
      return
    }
    const { readings, unanswered } = answer.value
    const events = readings.map((reading) => ({
      kind: 'reading' as const,
      accountId: '',
      checkId,
      reading,
    }))
    tell({ kind: 'told', events })
    tell({ kind: 'runEnded', said: saidOf(readings, unanswered), isRefused: false })
  } catch (error) {
    if (signal.aborted) return
    tell({ kind: 'runEnded', said: whyUnanswered(error, apiUrl).message, isRefused: true })
  }
}

const saidOf = (
  readings: readonly { verdict: string; region: string }[],
  unanswered: readonly string[],
): string => {
  const verdicts = ['up', 'down', 'blocked', 'unmeasured'].flatMap((verdict) => {
    const regions = readings.filter((reading) => reading.verdict === verdict)
    return regions.length === 0
      ? []
      : [`${verdict}: ${regions.map(({ region }) => region).join(', ')}`]
  })
  const silent = unanswered.length === 0 ? [] : [`no answer: ${unanswered.join(', ')}`]
  return `Measured now. ${[...verdicts, ...silent].join('; ') || 'No region answered'}.`
}
