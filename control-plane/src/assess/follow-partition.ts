import { pause } from '@probe-mesh/bus/pause'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { beginReading } from '../careful-reading.ts'
import type { SetAside } from '../readings/set-aside.ts'
import { Closing, isOfTheData } from '../retry.ts'
import type { AssessContext } from './context.ts'
import type { Holding } from './holding.ts'
import { judgeEach, judgeMessages } from './judge-messages.ts'

const fetchWaitMs = 5_000
const fetchMessagesMax = 200
const fetchBytesMax = 2 * 1024 * 1024
const failurePauseMs = 1_000

type FollowContext = AssessContext & {
  setAside: SetAside
  /** Brings the book's flips to Postgres. */
  flips: () => Promise<void>
  retryUntil: <T>(signal: AbortSignal, attempt: () => Promise<T>) => Promise<T>
}

/** Judges a partition's messages as they come, until it is left. */
export const followPartition = async (context: FollowContext, holding: Holding): Promise<void> => {
  const { flips, retryUntil, log } = context
  const { consumer, signal, lease } = holding
  const reading = await beginReading({
    ...context,
    lease,
    consumer: 'assess',
    retry: (attempt) => retryUntil(signal, attempt),
  })
  while (!signal.aborted) {
    try {
      const messages = await consumer.fetch({
        messagesMax: fetchMessagesMax,
        bytesMax: fetchBytesMax,
        waitMs: holding.caughtUp ? fetchWaitMs : 0,
        signal,
      })
      const last = messages.at(-1)
      const isJudged = await reading.take(messages, (some) => judge(context, holding, some))
      if (last === undefined) {
        holding.caughtUp = true
        continue
      }
      if (!isJudged) await judge(context, holding, messages)
      if (signal.aborted) return
      await flips()
      holding.processed = last.sequence
    } catch (error) {
      if (error instanceof Closing) return
      log.error({ err: error }, 'assess cannot follow; trying again')
      await pause(failurePauseMs, signal)
    }
  }
}

/** What one message holds costs its neighbours nothing. */
const judge = async (
  context: AssessContext,
  holding: Holding,
  messages: readonly StreamMessage[],
): Promise<void> => {
  try {
    await judgeMessages(context, holding, messages)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    await judgeEach(context, holding, messages)
  }
}
