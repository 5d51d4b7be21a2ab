import type { MultistepAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Step } from '@probe-mesh/contracts/check/step'
import { asCheckAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { cutReason } from '../../judge/cut-reason.ts'
import { headerAssertionOf } from '../../judge/evaluate-header.ts'
import { judgeAttempt, type Expected } from '../../judge/judge-attempt.ts'
import type { Judgement } from '../../judge/judgement.ts'
import { assertionsWith, judgeOptions } from '../../judge/judge-options.ts'
import type { Outcome } from '../../request/outcome.ts'
import { maskNothing } from '../../secrets/mask.ts'

/** The expectations for a step's final response. */
export const expectedOf = (
  { assertions, options }: Step,
  { owner }: Pick<MultistepAssignment, 'owner'>,
): Expected => ({
  assertions: assertionsWith(asCheckAssertions(assertions), options ?? {}),
  header: headerAssertionOf(assertions),
  owner,
})

/** A step's name, and its number from 1. */
type StepPlace = { name: string; number: number }

export const stepText = ({ name, number }: StepPlace): string => `Step ${number} (${name}): `

/**
 * The verdict on one step, judged like an http check, with the step in front of the reason (S-407).
 */
export const judgeStep = (
  outcome: Outcome,
  expected: Expected,
  place: StepPlace,
  own?: { step: Step; now: number },
): Judgement => {
  const judgement = withOptions(judgeAttempt(outcome, expected), outcome, expected, own)
  const { reason } = judgement
  return reason === null ? judgement : { ...judgement, reason: cutReason(`${stepText(place)}${reason}`) }
}

const withOptions = (
  judged: Judgement,
  outcome: Outcome,
  { mask = maskNothing }: Expected,
  own: { step: Step; now: number } | undefined,
): Judgement => {
  if (own?.step.options === undefined) return judged
  const { url, options, assertions } = own.step
  const asked = { url, now: own.now, mask, assertions: asCheckAssertions(assertions) }
  return judgeOptions(judged, outcome, options, asked)
}
