import type { Check } from '@probe-mesh/contracts/check/check'
import type { BulkResult } from '@probe-mesh/contracts/check/check-input'
import { tagsPerCheckMax, withoutTag, withTag } from '@probe-mesh/contracts/check/tags'
import { isRefusal, refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Writer } from '../operations/context.ts'
import { reviseCheck } from './revise-check.ts'
import type { RevisingContext } from './revise-check.ts'

/**
 * Does one act on each of many checks, one after another, each in a transaction of its own: a refusal of one
 * leaves the others as they are, and a repeated request changes nothing again.
 * @param act on one check; its refusal is part of the outcome
 */
export const changeEach = async (
  checkIds: readonly string[],
  act: (checkId: string) => Promise<unknown>,
): Promise<BulkResult> => {
  const result: BulkResult = { changed: [], unchanged: [] }
  for (const checkId of checkIds) {
    const outcome = await act(checkId)
    if (isRefusal(outcome)) {
      const { code, message } = toProblem(outcome)
      result.unchanged.push({ checkId, code, message })
    } else result.changed.push(checkId)
  }
  return result
}

/** Pauses or resumes a check of any type. A paused check is not measured, and no probes are expected of it. */
export const pauseCheck = (
  context: RevisingContext,
  writer: Writer,
  { checkId, paused }: { checkId: string; paused: boolean },
): Promise<Check | Refusal> =>
  reviseCheck(context, writer, paused ? 'pauseCheck' : 'resumeCheck', checkId, () => ({ paused }))

/** Adds a tag to a check, or removes it. SV-2001 for more tags than a check may have. */
export const tagCheck = (
  context: RevisingContext,
  writer: Writer,
  { checkId, tag, isThere }: { checkId: string; tag: string; isThere: boolean },
): Promise<Check | Refusal> =>
  reviseCheck(context, writer, 'tagCheck', checkId, (check) => {
    const tags = isThere ? withTag(check.tags, tag) : withoutTag(check.tags, tag)
    if (tags.length <= tagsPerCheckMax) return { tags }
    return refuse('SV-2001', { message: `The limit of ${tagsPerCheckMax} tags of a check is reached.` })
  })
