import { pause } from '@probe-mesh/runtime/pause'
import type { CheckDraft, CheckPlan, DraftRefusal } from '@probe-mesh/contracts/check/check-plan'
import type { CallContext } from '../protocol/resource.ts'
import type { Answer } from './failure.ts'

/** Judges one intended write of a check; empty: it would be accepted. */
export type Judge = (draft: CheckDraft, context: CallContext) => Promise<Answer<DraftRefusal[]>>

const draftsAtOnceMax = 100
/** Terraform plans ten at once unless told otherwise: after an answer it asks for the next ten within moments. */
const plannedAtOnce = 10
const gatherMs = 10

type Waiting = {
  draft: CheckDraft
  resolve(answer: Answer<DraftRefusal[]>): void
  reject(error: unknown): void
}

/**
 * Drafts that come while a request is under way, or just after it, share the next one: a plan of 500 new checks takes
 * some 50 reads of the key.
 */
export const createJudge = (
  send: (drafts: CheckDraft[], context: CallContext) => Promise<Answer<CheckPlan>>,
  wait: typeof pause = pause,
): Judge => {
  const waiting: Waiting[] = []
  let isSending = false
  let gathering: AbortController | null = null

  const gather = async (): Promise<void> => {
    if (waiting.length >= plannedAtOnce) return
    gathering = new AbortController()
    await wait(gatherMs, gathering.signal)
    gathering = null
  }

  const sendAll = async (context: CallContext): Promise<void> => {
    isSending = true
    while (waiting.length > 0) {
      const part = waiting.splice(0, draftsAtOnceMax)
      try {
        const drafts = part.map(({ draft }) => draft)
        const answer = await send(drafts, context)
        part.forEach(({ resolve }, at) => resolve(answer.ok ? ofDraft(answer.value, at) : answer))
      } catch (error) {
        part.forEach(({ reject }) => reject(error))
      }
      await gather()
    }
    isSending = false
  }

  return (draft, context) =>
    new Promise((resolve, reject) => {
      waiting.push({ draft, resolve, reject })
      if (!isSending) void sendAll(context)
      else if (waiting.length >= plannedAtOnce) gathering?.abort()
    })
}

const ofDraft = ({ refusals }: CheckPlan, at: number): Answer<DraftRefusal[]> => ({
  ok: true,
  value: refusals.filter(({ index }) => index === at),
})
