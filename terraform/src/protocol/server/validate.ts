import type { Diagnostic } from '../diagnostic.ts'
import { validateConfig } from '../plan/validate-config.ts'
import type { Schema } from '../schema.ts'
import type { ObjectValue } from '../value.ts'
import type { DynamicValue, ProviderHandlers, Response } from '../wire/messages.ts'
import { answer, toMessages } from './answer.ts'
import { contextOf, dataSourceOf, decodeConfig, resourceOf } from './session.ts'
import type { Session } from './session.ts'

type Validated = { schema: Schema; validate?(config: ObjectValue): Diagnostic[] }

/** Validates configurations without the service: `terraform validate` needs no key. */
export const validateCalls = (
  session: Session<unknown>,
): Pick<
  ProviderHandlers,
  'validateProviderConfig' | 'validateResourceConfig' | 'validateDataResourceConfig'
> => {
  const validate = (
    call: { signal: AbortSignal },
    find: () => Validated,
    encoded: DynamicValue | null,
  ) =>
    answer<Response<'validateResourceConfig'>>(contextOf(session, call), {}, async () => {
      const validated = find()
      const config = decodeConfig(session, validated.schema, encoded)
      const rule = validated.validate?.bind(validated)
      return { diagnostics: toMessages(validateConfig(validated.schema, config, rule)) }
    })
  return {
    validateProviderConfig: ({ config }, call) => {
      const { schema } = session.provider
      return validate(call, () => ({ schema }), config)
    },
    validateResourceConfig: ({ typeName, config }, call) =>
      validate(call, () => resourceOf(session, typeName), config),
    validateDataResourceConfig: ({ typeName, config }, call) =>
      validate(call, () => dataSourceOf(session, typeName), config),
  }
}
