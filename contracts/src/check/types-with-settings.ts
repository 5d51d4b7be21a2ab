import { z } from 'zod'
import { field } from '../schema/field.ts'
import { browser } from '@probe-mesh/check-types/browser/settings'
import type { CheckTypeSettings } from '@probe-mesh/check-types/check-type'
import { dns } from '@probe-mesh/check-types/dns/settings'
import { grpc } from '@probe-mesh/check-types/grpc/settings'
import { smtp } from '@probe-mesh/check-types/smtp/settings'
import { tcp } from '@probe-mesh/check-types/tcp/settings'
import { timeoutSeconds } from './check-timeout.ts'

/** The types whose settings are one object, by name. Every program has what it needs of a type from here. */
export const typesWithSettings = { tcp, dns, smtp, grpc, browser } as const
type Types = typeof typesWithSettings
export type SettingsTypeName = keyof Types
/** The schema of the settings of a type. */
export type SettingsOf<Name extends SettingsTypeName> = Types[Name]['Settings']

/** The fields by which a check of a type is stored and sent; only some types have a timeout. */
export type TypeShape<Name extends SettingsTypeName> = {
  type: z.ZodLiteral<Name>
  settings: SettingsOf<Name>
  timeoutSeconds: typeof timeoutSeconds
}
export const typeShapes = Object.values(typesWithSettings).map(({ type, Settings, hasTimeout }) => ({
  type: field(z.literal(type), 'Type.'),
  settings: field(Settings, 'Settings of the type, as in `/v1/openapi.json`.'),
  ...(hasTimeout && { timeoutSeconds }),
}))

export const settingsTypeNames = Object.keys(typesWithSettings) as SettingsTypeName[]

/** The types that a private agent runs (S-2902), http among them. */
export const privateTypes: ReadonlySet<string> = new Set([
  'http',
  ...Object.values(typesWithSettings).flatMap(({ type, mayRunPrivately }) => (mayRunPrivately ? [type] : [])),
])

/** A stored or sent check of one of these types. */
type WithSettings = {
  [Name in SettingsTypeName]: { type: Name; settings: z.output<SettingsOf<Name>> }
}[SettingsTypeName]

/** What is known of a type by its name; null for the others. */
export const settingsTypeOf = (type: string): (typeof typesWithSettings)[SettingsTypeName] | null =>
  Object.hasOwn(typesWithSettings, type) ? typesWithSettings[type as SettingsTypeName] : null

/** The type of a check, for its settings. */
export const typeOf = <C extends WithSettings>({ type }: C): CheckTypeSettings<C['type'], z.ZodObject> =>
  // the type of a check names the entry of its settings
  typesWithSettings[type] as unknown as CheckTypeSettings<C['type'], z.ZodObject>
