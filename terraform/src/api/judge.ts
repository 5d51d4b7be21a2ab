import type { CheckDraft, CheckPlan, DraftRefusal } from '@probe-mesh/contracts/check/check-plan'
import type { CallContext } from '../protocol/resource.ts'
import type { Answer } from './failure.ts'

/** Judges one intended write of a check; empty: it would be accepted. */
export type Judge = (draft: CheckDraft, context: CallContext) => Promise<Answer<DraftRefusal[]>>

/** Terraform plans ten at once unless told otherwise. */
const draftsAtOnceMax = 100

type Waiting = {
  draft: CheckDraft
  resolve(answer: Answer<DraftRefusal[]>): void
  reject(error: unknown): void
}

/** Drafts that come while a request is under way share the next one, which saves reads of the key. */
export const createJudge = (
  send: (drafts: CheckDraft[], context: CallContext) => Promise<Answer<CheckPlan>>,
): Judge => {
  const waiting: Waiting[] = []
  let isSending = false

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
    }
    isSending = false
  }

  return (draft, context) =>
    new Promise((resolve, reject) => {
      waiting.push({ draft, resolve, reject })
      if (!isSending) void sendAll(context)
    })
}

const ofDraft = ({ refusals }: CheckPlan, at: number): Answer<DraftRefusal[]> => ({
  ok: true,
  value: refusals.filter(({ index }) => index === at),
})
