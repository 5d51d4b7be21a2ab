import type { Typed } from '../../html/components/form.ts'
import { typedSteps, type StepTexts } from './step-texts.ts'

/** The submitted form with these steps instead, numbered from 0 as in the API. */
export const withSteps = (typed: Typed, steps: readonly StepTexts[]): Typed => ({
  ...Object.fromEntries(Object.entries(typed).filter(([name]) => !name.startsWith('steps['))),
  ...typedSteps(steps),
})
