import {
  draftsMax,
  planBytesMax,
  type CheckDraft,
  type DraftRefusal,
} from '@probe-mesh/contracts/check/check-plan'
import type { Problem as Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Failure } from '../api/failure.ts'
import type { Api } from '../api/open-api.ts'
import type { ChecksFile } from '../file/checks-file.ts'
import type { PlaceOf } from '../file/parse-file.ts'
import type { Problem } from '../file/problems.ts'
import { nameOf, type Plan } from '../plan/plan.ts'
import { draftOf } from '../plan/writes.ts'
import type { WriteBudget } from '../apply/capabilities.ts'

type Judged =
  | { ok: true; budget: WriteBudget | null; refusals: DraftRefusal[] }
  | { ok: false; failures: Failure[] }

/** Lets the API judge the steps of a plan by the rules of their writes. Nothing is written. */
export const judgePlan = async (api: Api, { steps }: Plan, signal: AbortSignal): Promise<Judged> => {
  const refusals: DraftRefusal[] = []
  let budget: WriteBudget | null = null
  let first = 0
  for (const drafts of partsOf(steps.map(draftOf))) {
    const read = await api.read('Checking the changes', (client) =>
      client.call('planChecks', { body: { drafts } }, signal),
    )
    if (!read.ok) return { ok: false, failures: read.failures.map(explainOlder) }
    const { writes } = read.value
    for (const refusal of read.value.refusals) refusals.push({ ...refusal, index: first + refusal.index })
    budget ??= writes
    first += drafts.length
  }
  return { ok: true, budget, refusals }
}

/** The API takes so many drafts, and so much text, at once. */
export const partsOf = (drafts: readonly CheckDraft[]): CheckDraft[][] => {
  const parts: CheckDraft[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const draft of drafts) {
    const size = Buffer.byteLength(JSON.stringify(draft)) + 1
    const last = parts.at(-1)
    if (last === undefined || last.length === draftsMax || bytes + size > planBytesMax - 100) {
      parts.push([draft])
      bytes = size
    } else {
      last.push(draft)
      bytes += size
    }
  }
  return parts
}

/** A control plane without the route could also not replace a check in one step. */
const explainOlder = (failure: Failure): Failure =>
  'code' in failure && failure.code === 'SV-3001' ? { message: isOlder, hint: upgrade } : failure

const isOlder =
  'This control plane is older than this command: it has no POST /checks/plan, which checks the changes first. Nothing was sent.'
const upgrade = 'Upgrade the control plane, or use the command of its version.'

/** The refusals as problems of the file, each at its line; those of checks outside the file have none. */
export const placeRefusals = (
  refusals: readonly DraftRefusal[],
  { steps }: Plan,
  { checks }: ChecksFile,
  placeOf: PlaceOf,
): { placed: Problem[]; others: Refused[] } => {
  const indexOf = new Map(checks.map(({ name }, index) => [name, index]))
  const [placed, others]: [Problem[], Refused[]] = [[], []]
  for (const { index, code, message, errors } of refusals) {
    const step = steps[index]
    if (step === undefined) continue
    const at = step.kind === 'delete' ? undefined : indexOf.get(nameOf(step))
    if (at === undefined) {
      others.push({ name: nameOf(step), code, message })
      continue
    }
    const problems = errors.length > 0 ? errors : [{ path: '', message }]
    for (const { path, message: wrong } of problems) {
      const inFile = `checks[${at}]${path === '' ? '' : `.${path}`}`
      placed.push({ ...placeOf(at, path), path: inFile, code, message: wrong })
    }
  }
  return {
    placed: placed.toSorted((one, other) => one.line - other.line || one.column - other.column),
    others,
  }
}

/** The refusal of a check that the file does not have. */
export type Refused = { name: string } & Pick<Refusal, 'code' | 'message'>
