import type { Schema } from '../schema.ts'
import type { ProviderHandlers } from '../wire/messages.ts'
import { toSchemaMessage } from './schema-message.ts'
import type { Session } from './session.ts'

/** Later processes of a run take the schema from the first, so that only it is asked for it. */
const serverCapabilities = { getProviderSchemaOptional: true }

/** What there is, for Terraform to ask about. */
export const describeCalls = ({
  provider,
}: Session<unknown>): Pick<ProviderHandlers, 'getMetadata' | 'getProviderSchema'> => ({
  async getMetadata() {
    return {
      serverCapabilities,
      dataSources: provider.dataSources.map(({ name }) => ({ typeName: name })),
      resources: provider.resources.map(({ name }) => ({ typeName: name })),
    }
  },
  async getProviderSchema() {
    return {
      provider: toSchemaMessage(provider.schema),
      resourceSchemas: schemasOf(provider.resources),
      dataSourceSchemas: schemasOf(provider.dataSources),
      serverCapabilities,
    }
  },
})

const schemasOf = (named: readonly { name: string; schema: Schema }[]) =>
  Object.fromEntries(named.map(({ name, schema }) => [name, toSchemaMessage(schema)]))
