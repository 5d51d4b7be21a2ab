import { z } from 'zod'
import { CheckName, CreateCheckInput, RegionList } from './create-check-input.ts'
import type { CheckType } from './check.ts'
import { CheckConfig } from './check-config.ts'
import { RefusedAs, TimeoutSeconds } from './check-timeout.ts'
import { HeartbeatSettings } from '../heartbeat/heartbeat.ts'
import { limits } from '../schema/limits.ts'
import { HttpRequest } from './request-options.ts'
import {
  settingsTypeNames,
  settingsTypeOf,
  typeShapes,
  typesWithSettings,
  type SettingsOf,
  type SettingsTypeName,
  type TypeShape,
} from './types-with-settings.ts'
import { plainProblem } from '../schema/plain-problem.ts'
import { refuse, refuseInvalid, type Refusal } from '../schema/refusal.ts'
import { StepsInput, toStep } from './step.ts'
import { unstorableMessage, unstorableTexts } from '../schema/storable-text.ts'
import { AssertionFields, refineAssertions, whenObject } from './assertions.ts'
import { Tags } from './tags.ts'
import { checkNotesFields } from './check-notes.ts'
import { ParentIds } from './check-parents.ts'
import { StatusRule } from './status-rule.ts'

// Inputs of the dashboard and the operator for the types that the REST API does not create (S-202).

/** The shortest interval of a type, seconds. A journey or page must end before its next slot. */
export const typeIntervalSecondsMin = (type: CheckType): number => {
  if (type === 'multistep') return limits.longRunIntervalSecondsMin
  const { intervalSecondsMin } = { intervalSecondsMin: 1, ...settingsTypeOf(type) }
  return intervalSecondsMin
}

/** Common fields of probed checks. The defaults are the shortest allowed interval, all regions, not paused. */
const scheduled = (type: CheckType) => {
  const secondsMin = typeIntervalSecondsMin(type)
  return {
    intervalSeconds: z
      .int()
      .min(secondsMin, `must be at least ${secondsMin} for a ${type} check`)
      .max(limits.intervalSecondsMax)
      .optional(),
    regions: RegionList.optional(),
    paused: z.boolean().optional(),
    tags: Tags.optional(),
    /** What decides its status; replaced as a whole. */
    statusRule: StatusRule.optional(),
  }
}

const probed = <T extends CheckType>(type: T) => ({
  type: z.literal(type),
  name: CheckName,
  ...scheduled(type),
})

/** Whether requests contain the region in the header `Probe-Region`. */
const sendRegion = z.boolean().optional()

const creatableTypes = `must be http, ${settingsTypeNames.join(', ')}, multistep or heartbeat`

type CreateOf<Name extends SettingsTypeName> = Name extends Name
  ? z.ZodObject<ReturnType<typeof probed<Name>> & TypeShape<Name>, z.core.$strict>
  : never
const createOfTypes = typeShapes.map((shape) =>
  z.strictObject({ ...probed(shape.type.value), ...shape }),
) as unknown as CreateOf<SettingsTypeName>[]

/** A heartbeat is not probed, so it has neither regions nor an interval. */
export const CreateTypedCheckInput = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ ...probed('multistep'), steps: StepsInput, sendRegion }),
    ...createOfTypes,
    z.strictObject({
      type: z.literal('heartbeat'),
      name: CheckName,
      paused: z.boolean().optional(),
      tags: Tags.optional(),
      settings: HeartbeatSettings,
    }),
  ],
  creatableTypes,
)
export type CreateTypedCheckInput = z.infer<typeof CreateTypedCheckInput>

/** The types that these inputs create and change. */
export type TypedCheckType = CreateTypedCheckInput['type']

/** Attributes of the dashboard: the checks that it depends on, and what people know about it. */
const attached = { parentIds: ParentIds.optional(), ...checkNotesFields }

/** null sets the default of the interval. */
const timed = { timeoutSeconds: TimeoutSeconds.nullable().optional() }

const changed = (type: CheckType, settings: z.ZodType, hasTimeout: boolean) =>
  z.strictObject({
    name: CheckName.optional(),
    ...scheduled(type),
    ...attached,
    settings: settings.optional(),
    ...(hasTimeout && timed),
  })
type ChangeOf<Name extends SettingsTypeName> = z.ZodObject<
  { name: z.ZodOptional<typeof CheckName>; settings: z.ZodOptional<SettingsOf<Name>> } & ReturnType<
    typeof scheduled
  > &
    typeof attached &
    typeof timed,
  z.core.$strict
>
const changesOfTypes = Object.fromEntries(
  Object.values(typesWithSettings).map(({ type, Settings, hasTimeout }) => [
    type,
    changed(type, Settings, hasTimeout),
  ]),
) as unknown as { [Name in SettingsTypeName]: ChangeOf<Name> }

/**
 * Inputs of changes, by type. Absent fields stay unchanged; `settings` and `steps` are replaced as a whole (S-414).
 */
export const editCheckInputs = {
  ...changesOfTypes,
  multistep: z.strictObject({
    name: CheckName.optional(),
    ...scheduled('multistep'),
    ...attached,
    /** Replaces the whole list. */
    steps: StepsInput.optional(),
    sendRegion,
  }),
  heartbeat: z.strictObject({
    name: CheckName.optional(),
    paused: z.boolean().optional(),
    tags: Tags.optional(),
    ...attached,
    settings: HeartbeatSettings.optional(),
  }),
} as const satisfies Record<TypedCheckType, z.ZodObject>

/** A new http check of the dashboard: what the REST API takes, and the attributes that only the dashboard sets. */
export const CreateHttpCheckInput = AssertionFields.extend({
  ...CreateCheckInput.shape,
  type: z.literal('http').optional(),
  paused: z.boolean().optional(),
  statusRule: StatusRule.optional(),
  request: HttpRequest.optional(),
}).superRefine(refineAssertions, whenObject)
export type CreateHttpCheckInput = z.infer<typeof CreateHttpCheckInput>

/** Changes of an http check by the dashboard, which keep its id and its history. `assertions` replaces all of them. */
export const EditHttpCheckInput = z.strictObject({
  name: CheckName.optional(),
  url: z.string().min(1).max(limits.urlCharactersMax).optional(),
  ...scheduled('http'),
  ...attached,
  sendRegion,
  ...timed,
  refusedAs: RefusedAs.optional(),
  /** Replaced as a whole; null: a plain GET. */
  request: HttpRequest.nullable().optional(),
  assertions: AssertionFields.superRefine(refineAssertions, whenObject).optional(),
})
export type EditHttpCheckInput = z.infer<typeof EditHttpCheckInput>

export const ReplaceStepsInput = z.strictObject({ steps: StepsInput })
export type ReplaceStepsInput = z.infer<typeof ReplaceStepsInput>

/** The stored settings of a new check. */
export const toCheckConfig = (input: CreateTypedCheckInput): CheckConfig =>
  CheckConfig.parse(input.type === 'multistep' ? { ...input, steps: input.steps.map(toStep) } : input)

/**
 * Parses one of the inputs above. @returns the value, or the refusal with all problems: SV-2003 for more than
 * ten steps, else SV-2002 for a pattern language, else SV-2001
 */
export const parseCheckInput = <S extends z.ZodType>(schema: S, body: unknown): z.output<S> | Refusal => {
  const parsed = schema.safeParse(body, { error: plainProblem })
  const unstorable = unstorableTexts(body, depthMax).map((path): z.core.$ZodIssue => ({
    code: 'custom',
    path: [...path],
    message: unstorableMessage,
    input: body,
  }))
  if (parsed.success && unstorable.length === 0) return parsed.data
  const errors = [...(parsed.success ? [] : [parsed.error]), new z.ZodError(unstorable)]
  const refusal = refuseInvalid(errors)
  const isTooLong = parsed.error?.issues.some(isTooManySteps) ?? false
  return isTooLong ? refuse('SV-2003', { errors: refusal.errors }) : refusal
}

const isTooManySteps = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'custom' && issue.params?.['tooManySteps'] === true

/** Deeper than any valid input. Deeper fields are already unknown fields. */
const depthMax = 6
