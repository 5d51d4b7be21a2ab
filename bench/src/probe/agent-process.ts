// The agent's real runner in a process of its own.
import { answerParent } from '../harness/child.ts'
import { createBenchRunner, type BenchRunner } from './bench-runner.ts'
import { runBeside, type BesideQuestion } from './run-beside.ts'
import { runHeld, type HeldQuestion } from './run-held.ts'
import { runTogether, type TogetherQuestion } from './run-together.ts'
import { timeSlice, type SliceQuestion } from './slice.ts'
import type { Target } from './targets.ts'

export type AgentQuestion = { target: Target } & (
  | ({ kind: 'slice'; byName: boolean } & SliceQuestion)
  | ({ kind: 'held' } & HeldQuestion)
  | ({ kind: 'together' } & TogetherQuestion)
  | ({ kind: 'beside' } & BesideQuestion)
)

let made: BenchRunner | null = null

answerParent((question: AgentQuestion): Promise<unknown> => {
  made ??= createBenchRunner(question.target)
  const run = made
  switch (question.kind) {
    case 'slice': {
      const { secure, byName } = question
      return timeSlice(question, async (n) => {
        const { verdict } = await run({ name: byName ? `c${n}` : null, secure, path: '/' })
        return verdict === 'up'
      })
    }
    case 'held':
      return runHeld(question, run)
    case 'together':
      return runTogether(question, run)
    case 'beside':
      return runBeside(question, run)
  }
})
