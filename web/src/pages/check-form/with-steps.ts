import type { Typed } from '../../html/components/form.ts'
import { typedSteps } from './step-texts.ts'
import type { StepTexts } from './step-texts.ts'

/** What is typed, with these steps instead of its own, numbered from 0 as the API counts them. Pure. */
export const withSteps = (typed: Typed, steps: readonly StepTexts[]): Typed => ({
  ...Object.fromEntries(Object.entries(typed).filter(([name]) => !name.startsWith('steps['))),
  ...typedSteps(steps),
})
