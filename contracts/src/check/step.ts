import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { StepMethod } from '../reading/reading-details.ts'
import { limits } from '../schema/limits.ts'
import { ContentType, RequestOptions, type HttpRequest } from './request-options.ts'
import { StepAssertions, StepAssertionsInput, toStepAssertions } from './step-assertions.ts'

/** One request of a journey. Body and content type are independent. */
export const Step = z.object({
  name: field(z.string(), 'Name of the step, which the reason of a failure names.', 'log in'),
  method: field(StepMethod, 'HTTP method.', 'POST'),
  url: field(z.string().max(limits.urlCharactersMax), 'URL of the request.', 'https://shop.example.com/cart'),
  body: field(z.string().nullable(), 'Body, as UTF-8. A read-only key gets its length only.', null),
  contentType: field(z.string().nullable(), 'Media type of the body.', 'application/json'),
  assertions: field(StepAssertions, 'What the final answer must have. Without any: a status of 200 to 299.'),
  options: field(RequestOptions.optional(), 'What the request sends and expects beyond method and body.'),
})
export type Step = z.infer<typeof Step>
components.add(Step, { id: 'Step' })

/** One line of text, for reasons and pages. */
const stepName = z
  .string()
  .refine((name) => name.trim() !== '', 'must not be blank')
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must be one line of text')

export const StepInput = z.strictObject({
  name: stepName,
  method: StepMethod,
  url: z.string().min(1).max(limits.urlCharactersMax),
  body: z.string().max(limits.stepBodyCharactersMax).nullish(),
  contentType: ContentType.nullish(),
  assertions: StepAssertionsInput.nullish(),
  options: RequestOptions.optional(),
})
export type StepInput = z.infer<typeof StepInput>

/** Parameters of the issue for too many steps, which has its own code (SV-2003). */
const tooManySteps = { tooManySteps: true } as const

/** The whole ordered list. A list that is too long still reports the problems of its steps. */
export const StepsInput = z
  .array(StepInput)
  .min(1, 'at least one step is required')
  .superRefine(
    (steps, context) => {
      if (steps.length <= limits.stepsMax) return
      const message = `at most ${limits.stepsMax} steps are allowed, not ${steps.length}`
      context.addIssue({ code: 'custom', message, params: tooManySteps })
    },
    { when: (payload) => Array.isArray(payload.value) },
  )
export type StepsInput = z.infer<typeof StepsInput>

export const toStep = (input: StepInput): Step => ({
  name: input.name,
  method: input.method,
  url: input.url,
  body: input.body ?? null,
  contentType: input.contentType ?? null,
  assertions: toStepAssertions(input.assertions),
  ...(input.options !== undefined && { options: input.options }),
})

/** A step in the words of an http check. A body names secrets only in a step with options. */
export const requestOfStep = ({
  method,
  body,
  contentType,
  options,
}: Pick<Step, 'method' | 'body' | 'contentType' | 'options'>): HttpRequest => ({
  ...options,
  method,
  ...(body !== null && { body }),
  ...(contentType !== null && { contentType }),
})

/** Whether the journey has no side effects. Only then is it retried and confirmed. */
export const isRepeatable = (steps: readonly Pick<Step, 'method'>[]): boolean =>
  steps.every(({ method }) => method === 'GET' || method === 'HEAD')
