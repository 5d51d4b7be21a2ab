import { runLoop } from '@probe-mesh/runtime/loop'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { readCarefully } from '../../readings/trial/trial-reader.ts'
import type { SetAside } from '../../readings/poison.ts'
import type { TrialReader } from '../../readings/trial/trial-reader.ts'
import { isOfTheData, untilClosing } from '../../stores/retry.ts'
import type { AssessContext } from './context.ts'
import type { Holding } from './holding.ts'
import { judgeEach, judgeMessages } from './judge-messages.ts'

const fetchWaitMs = 5_000
const fetchMessagesMax = 200
const fetchBytesMax = 2 * 1024 * 1024
const failurePauseMs = 1_000

type FollowContext = AssessContext & {
  setAside: SetAside
  trial: TrialReader
  /** Brings the book's flips to Postgres. */
  flips: () => Promise<void>
}

/** Judges a partition's messages as they come, until it is left. */
export const followPartition = async (context: FollowContext, holding: Holding): Promise<void> => {
  const { flips, log } = context
  const { consumer, signal, lease } = holding
  const look = readCarefully({ ...context, lease, kind: 'readings' })
  await runLoop({
    signal,
    round: untilClosing(async () => {
      const messages = await consumer.fetch({
        messagesMax: fetchMessagesMax,
        bytesMax: fetchBytesMax,
        waitMs: holding.caughtUp ? fetchWaitMs : 0,
        signal,
      })
      const last = messages.at(-1)
      if (last === undefined) {
        holding.caughtUp = true
        return 'again'
      }
      await look(messages)
      await judge(context, holding, messages)
      if (signal.aborted) return 'end'
      await flips()
      holding.processed = last.sequence
      return 'again'
    }),
    everyMs: failurePauseMs,
    onError: (error) => {
      log.error({ err: error }, 'assess cannot follow; trying again')
    },
  })
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
