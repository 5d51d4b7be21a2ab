import { accountChanges } from '../plan/account-changes.ts'
import { stepLine } from '../plan/format-plan.ts'
import type { Plan, Step } from '../plan/plan.ts'
import { writesOf } from '../plan/writes.ts'
import type { ApplyCapabilities } from './capabilities.ts'
import type { Outcome, StepOutcome, Stop } from './outcome.ts'
import { aboutTime, createPace, type Pace } from './pace.ts'
import { readWithRetry } from './read-with-retry.ts'
import { patienceMs } from './repeatable.ts'
import { sendWrite } from './send-write.ts'

/**
 * Applies a plan, one call after another. Lists the account again first, and sends nothing if it
 * differs from the account of the plan. Stops at the first API refusal, missing answer or
 * interrupt: the steps after it are skipped.
 */
export const applyPlan = async (capabilities: ApplyCapabilities, plan: Plan): Promise<Outcome> => {
  if (plan.steps.length === 0) return { steps: [], stop: null }
  const drift = await readAccountAgain(capabilities, plan)
  if (drift !== null) return { steps: plan.steps.map(skip), stop: drift }

  const pace = createPace(capabilities)
  const steps: StepOutcome[] = []
  let writesLeft = plan.steps.flatMap(writesOf).length
  for (const [index, step] of plan.steps.entries()) {
    const { outcome, stop } = await execute(capabilities, pace, step)
    steps.push(outcome)
    writesLeft -= writesOf(step).length
    const seconds = stop === null ? pace.secondsFor(writesLeft) : null
    const timeLeft = seconds === null || seconds === 0 ? '' : `, ${aboutTime(seconds)} left`
    const progress = `${index + 1} of ${plan.steps.length}${timeLeft}`
    capabilities.report(`${stepLine(step)}: ${outcome.result} (${progress})`)
    if (stop !== null) return { steps: [...steps, ...plan.steps.slice(index + 1).map(skip)], stop }
  }
  return { steps, stop: null }
}

const skip = (step: Step): StepOutcome => ({ step, result: 'skipped', completedCalls: 0 })

/** Why the plan is outdated, or null. */
const readAccountAgain = async (capabilities: ApplyCapabilities, plan: Plan): Promise<Stop | null> => {
  const { client } = capabilities
  try {
    const listed = await readWithRetry(capabilities, () => client.call('listChecks', {}), patienceMs)
    if (!listed.ok) return { kind: 'refused', problem: listed.problem }
    const changes = accountChanges(plan.account, listed.value.checks)
    return changes.length === 0 ? null : { kind: 'changed', changes }
  } catch (error) {
    return capabilities.signal.aborted ? { kind: 'interrupted' } : { kind: 'unanswered', error }
  }
}

const execute = async (
  capabilities: ApplyCapabilities,
  pace: Pace,
  step: Step,
): Promise<{ outcome: StepOutcome; stop: Stop | null }> => {
  let completedCalls = 0
  const end = (result: StepOutcome['result'], stop: Stop | null) => ({
    outcome: { step, result, completedCalls },
    stop,
  })
  for (const write of writesOf(step)) {
    if (!(await isReady(capabilities, pace))) {
      return end(completedCalls === 0 ? 'skipped' : 'interrupted', { kind: 'interrupted' })
    }
    try {
      const sent = await sendWrite(capabilities, write)
      if (sent.kind === 'interrupted') {
        const rest = completedCalls === 0 ? 'skipped' : 'interrupted'
        return end(sent.isSent ? 'unanswered' : rest, { kind: 'interrupted' })
      }
      const { answer } = sent
      pace.note(answer.headers)
      if (!answer.ok) return end('refused', { kind: 'refused', problem: answer.problem })
    } catch (error) {
      return end('unanswered', { kind: 'unanswered', error })
    }
    completedCalls += 1
  }
  return end('done', null)
}

/** @returns whether to continue, once a write may be sent */
const isReady = async ({ signal }: ApplyCapabilities, pace: Pace): Promise<boolean> => {
  try {
    await pace.ready()
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return !signal.aborted
}
