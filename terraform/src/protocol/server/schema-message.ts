import type { Attribute, Schema } from '../schema.ts'
import type { SchemaMessage } from '../wire/messages.ts'

/** A schema as Terraform takes it: attributes in order of their names, so that it is the same each time. */
export const toSchemaMessage = ({ version, description, attributes }: Schema): SchemaMessage => ({
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
  const { type, presence, description, isSensitive = false } = attribute
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
    writeOnly: false,
  }
}
