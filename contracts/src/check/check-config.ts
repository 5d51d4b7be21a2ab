import { z } from 'zod'
import { components, field } from '../schema/field.ts'
import { RefusedAs, timeoutSeconds } from './check-timeout.ts'
import { HeartbeatSettings } from '../heartbeat/heartbeat.ts'
import { limits } from '../schema/limits.ts'
import { typeShapes, type SettingsTypeName, type TypeShape } from './types-with-settings.ts'
import { Step } from './step.ts'
import { HttpRequest } from './request-options.ts'

const sendRegion = field(z.boolean().optional(), 'Whether `Probe-Region` is sent.')

type ConfigOf<Name extends SettingsTypeName> = Name extends Name ? z.ZodObject<TypeShape<Name>> : never
const configsOfTypes = typeShapes.map((shape) => z.object(shape)) as unknown as ConfigOf<SettingsTypeName>[]

/** The stored settings of each type, without name, interval and regions. */
export const CheckConfig = z.discriminatedUnion('type', [
  /** The URL and the eight assertions are fields of the check itself. */
  z.object({
    type: field(z.literal('http'), 'Type.'),
    sendRegion,
    timeoutSeconds,
    refusedAs: RefusedAs.optional(),
    request: field(HttpRequest.optional(), 'What the request is beyond a plain GET; absent for a GET.'),
  }),
  z.object({
    type: field(z.literal('multistep'), 'Type.'),
    steps: field(z.array(Step).min(1).max(limits.stepsMax), 'Requests in order, to the first failure.'),
    sendRegion,
  }),
  z.object({
    type: field(z.literal('heartbeat'), 'Type.'),
    settings: field(HeartbeatSettings, 'Settings of the type, as in `/v1/openapi.json`.'),
  }),
  ...configsOfTypes,
])
export type CheckConfig = z.infer<typeof CheckConfig>
components.add(CheckConfig, { id: 'CheckConfig' })
