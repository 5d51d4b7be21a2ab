import type { Schema, Attribute } from '../schema.ts'
import type { ProviderHandlers, SchemaMessage } from '../wire/messages.ts'
import type { Session } from './session.ts'

/** Later processes of a run reuse the first one's schema without requesting it. */
const serverCapabilities = { getProviderSchemaOptional: true }

/** The resources, the data sources and their schemas. */
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

/** A schema as Terraform reads it, with attributes sorted by name so that it is stable. */
const toSchemaMessage = ({ version, description, attributes }: Schema): SchemaMessage => ({
  version,
  block: {
    version,
    attributes: Object.entries(attributes)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, attribute]) => toAttributeMessage(name, attribute)),
    description,
    descriptionKind: 'markdown',
    deprecated: false,
  },
})

const toAttributeMessage = (name: string, attribute: Attribute) => {
  const { type, presence, description, isSensitive = false, isWriteOnly = false } = attribute
  return {
    name,
    type: new TextEncoder().encode(JSON.stringify(type)),
    description,
    descriptionKind: 'markdown' as const,
    required: presence === 'required',
    optional: presence === 'optional' || presence === 'optional_computed',
    computed: presence === 'computed' || presence === 'optional_computed',
    sensitive: isSensitive,
    deprecated: false,
    writeOnly: isWriteOnly,
  }
}
