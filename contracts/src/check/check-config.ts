import { z } from 'zod'
import { RefusedAs, TimeoutSeconds } from './check-timeout.ts'
import { HeartbeatSettings } from '../heartbeat/heartbeat.ts'
import { limits } from '../schema/limits.ts'
import { typeShapes, type SettingsTypeName, type TypeShape } from './types-with-settings.ts'
import { Step } from './step.ts'
import { HttpRequest } from './request-options.ts'

/** Whether requests contain the region in the header `Probe-Region`. Absent means no. */
const sendRegion = z.boolean().optional()
/** Absent means the default: 10 s, or 0.4 of the interval if that is less. */
const timeoutSeconds = TimeoutSeconds.optional()

type ConfigOf<Name extends SettingsTypeName> = Name extends Name ? z.ZodObject<TypeShape<Name>> : never
const configsOfTypes = typeShapes.map((shape) => z.object(shape)) as unknown as ConfigOf<SettingsTypeName>[]

/** The stored settings of each type, without name, interval and regions. */
export const CheckConfig = z.discriminatedUnion('type', [
  /** The URL and the eight assertions are fields of the check itself. */
  z.object({
    type: z.literal('http'),
    sendRegion,
    timeoutSeconds,
    refusedAs: RefusedAs.optional(),
    /** Absent: a plain GET. */
    request: HttpRequest.optional(),
  }),
  z.object({
    type: z.literal('multistep'),
    steps: z.array(Step).min(1).max(limits.stepsMax),
    sendRegion,
  }),
  z.object({ type: z.literal('heartbeat'), settings: HeartbeatSettings }),
  ...configsOfTypes,
])
export type CheckConfig = z.infer<typeof CheckConfig>
