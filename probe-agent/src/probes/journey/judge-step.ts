import type { MultistepAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Step } from '@probe-mesh/contracts/check/step'
import { asCheckAssertions } from '@probe-mesh/contracts/check/step-assertions'
import { cutReason } from '../../judge/cut-reason.ts'
import { headerAssertionOf } from '../../judge/evaluate-header.ts'
import { judgeAttempt } from '../../judge/judge-attempt.ts'
import type { Expected } from '../../judge/judge-attempt.ts'
import type { Judgement } from '../../judge/judgement.ts'
import type { Outcome } from '../../request/outcome.ts'

/** The expectations for a step's final response. */
export const expectedOf = (
  { assertions }: Step,
  { owner }: Pick<MultistepAssignment, 'owner'>,
): Expected => ({
  assertions: asCheckAssertions(assertions),
  header: headerAssertionOf(assertions),
  owner,
})

/** A step's name, and its number from 1. */
type StepPlace = { name: string; number: number }

export const stepText = ({ name, number }: StepPlace): string => `Step ${number} (${name}): `

/**
 * The verdict on one step, judged like an http check, with the step in front of the reason (S-407).
 */
export const judgeStep = (outcome: Outcome, expected: Expected, step: StepPlace): Judgement => {
  const judgement = judgeAttempt(outcome, expected)
  const { reason } = judgement
  return reason === null ? judgement : { ...judgement, reason: cutReason(`${stepText(step)}${reason}`) }
}
