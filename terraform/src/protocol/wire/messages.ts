import {
  bool,
  bytes,
  choice,
  explicit,
  integer,
  mapOf,
  message,
  messageOf,
  repeated,
  text,
  type Received,
  type Sent,
} from './fields.ts'

/**
 * The messages of protocol 6 that this provider uses: names and numbers of their fields. No message contains
 * itself, so requests are no deeper than these tables. Other fields are skipped.
 */

/** A value of Terraform's language: MessagePack, or JSON where that is empty. Both empty: null. */
const dynamicValue = message({ msgpack: bytes(1), json: bytes(2) })
export type DynamicValue = Received<typeof dynamicValue>

/** Exactly one of the three is set. */
const pathStep = message({
  attributeName: explicit(text(1)),
  elementKeyString: explicit(text(2)),
  elementKeyInt: explicit(integer(3)),
})
const attributePath = message({ steps: repeated(1, pathStep) })
export type AttributePath = Sent<typeof attributePath>

const diagnostic = message({
  severity: choice(1, ['invalid', 'error', 'warning']),
  summary: text(2),
  detail: text(3),
  attribute: messageOf(4, attributePath),
})
export type DiagnosticMessage = Sent<typeof diagnostic>

const descriptionKinds = ['plain', 'markdown'] as const

const schemaAttribute = message({
  name: text(1),
  /** JSON of the type. */
  type: bytes(2),
  description: text(3),
  required: bool(4),
  optional: bool(5),
  computed: bool(6),
  sensitive: bool(7),
  descriptionKind: choice(8, descriptionKinds),
  deprecated: bool(9),
  writeOnly: bool(11),
})
const schemaBlock = message({
  version: integer(1),
  attributes: repeated(2, schemaAttribute),
  description: text(4),
  descriptionKind: choice(5, descriptionKinds),
  deprecated: bool(6),
})
const schema = message({ version: integer(1), block: messageOf(2, schemaBlock) })
export type SchemaMessage = Sent<typeof schema>
const schemaAt = (number: number) => messageOf(number, schema)

const serverCapabilities = message({
  planDestroy: bool(1),
  getProviderSchemaOptional: bool(2),
  moveResourceState: bool(3),
  generateResourceConfig: bool(4),
})
const clientCapabilities = message({
  deferralAllowed: bool(1),
  writeOnlyAttributesAllowed: bool(2),
})
const deferred = message({
  reason: choice(1, ['unknown', 'resource_config_unknown', 'provider_config_unknown', 'absent_prereq']),
})
/** State as it is stored; `flatmap` is of before Terraform 0.12. */
const rawState = message({ json: bytes(1), flatmap: mapOf(2, text) })

const nothing = message({})
const typeName = message({ typeName: text(1) })
const onlyDiagnostics = message({ diagnostics: repeated(1, diagnostic) })
const importedResource = message({
  typeName: text(1),
  state: messageOf(2, dynamicValue),
  private: bytes(3),
})

/** The calls of the provider's service, with request and response. */
export const calls = {
  getMetadata: {
    request: nothing,
    response: message({
      serverCapabilities: messageOf(1, serverCapabilities),
      diagnostics: repeated(2, diagnostic),
      dataSources: repeated(3, typeName),
      resources: repeated(4, typeName),
    }),
  },
  getProviderSchema: {
    request: nothing,
    response: message({
      provider: messageOf(1, schema),
      resourceSchemas: mapOf(2, schemaAt),
      dataSourceSchemas: mapOf(3, schemaAt),
      diagnostics: repeated(4, diagnostic),
      serverCapabilities: messageOf(6, serverCapabilities),
    }),
  },
  validateProviderConfig: {
    request: message({ config: messageOf(1, dynamicValue) }),
    response: message({ diagnostics: repeated(2, diagnostic) }),
  },
  validateResourceConfig: {
    request: message({
      typeName: text(1),
      config: messageOf(2, dynamicValue),
      clientCapabilities: messageOf(3, clientCapabilities),
    }),
    response: onlyDiagnostics,
  },
  validateDataResourceConfig: {
    request: message({ typeName: text(1), config: messageOf(2, dynamicValue) }),
    response: onlyDiagnostics,
  },
  upgradeResourceState: {
    request: message({ typeName: text(1), version: integer(2), rawState: messageOf(3, rawState) }),
    response: message({
      upgradedState: messageOf(1, dynamicValue),
      diagnostics: repeated(2, diagnostic),
    }),
  },
  configureProvider: {
    request: message({
      terraformVersion: text(1),
      config: messageOf(2, dynamicValue),
      clientCapabilities: messageOf(3, clientCapabilities),
    }),
    response: onlyDiagnostics,
  },
  readResource: {
    request: message({
      typeName: text(1),
      currentState: messageOf(2, dynamicValue),
      private: bytes(3),
      clientCapabilities: messageOf(5, clientCapabilities),
    }),
    response: message({
      newState: messageOf(1, dynamicValue),
      diagnostics: repeated(2, diagnostic),
      private: bytes(3),
      deferred: messageOf(4, deferred),
    }),
  },
  planResourceChange: {
    request: message({
      typeName: text(1),
      priorState: messageOf(2, dynamicValue),
      proposedNewState: messageOf(3, dynamicValue),
      config: messageOf(4, dynamicValue),
      priorPrivate: bytes(5),
      clientCapabilities: messageOf(7, clientCapabilities),
    }),
    response: message({
      plannedState: messageOf(1, dynamicValue),
      requiresReplace: repeated(2, attributePath),
      plannedPrivate: bytes(3),
      diagnostics: repeated(4, diagnostic),
      deferred: messageOf(6, deferred),
    }),
  },
  applyResourceChange: {
    request: message({
      typeName: text(1),
      priorState: messageOf(2, dynamicValue),
      plannedState: messageOf(3, dynamicValue),
      config: messageOf(4, dynamicValue),
      plannedPrivate: bytes(5),
    }),
    response: message({
      newState: messageOf(1, dynamicValue),
      private: bytes(2),
      diagnostics: repeated(3, diagnostic),
    }),
  },
  importResourceState: {
    request: message({
      typeName: text(1),
      id: text(2),
      clientCapabilities: messageOf(3, clientCapabilities),
    }),
    response: message({
      importedResources: repeated(1, importedResource),
      diagnostics: repeated(2, diagnostic),
      deferred: messageOf(3, deferred),
    }),
  },
  readDataSource: {
    request: message({
      typeName: text(1),
      config: messageOf(2, dynamicValue),
      clientCapabilities: messageOf(4, clientCapabilities),
    }),
    response: message({
      state: messageOf(1, dynamicValue),
      diagnostics: repeated(2, diagnostic),
      deferred: messageOf(3, deferred),
    }),
  },
  stopProvider: { request: nothing, response: message({ error: text(1) }) },
} as const

export type CallName = keyof typeof calls
/** As received: every field is set; a message that was not sent is null. */
export type Request<Name extends CallName> = Received<(typeof calls)[Name]['request']>
/** To be sent: absent fields are empty. */
export type Response<Name extends CallName> = Sent<(typeof calls)[Name]['response']>

export type ProviderHandlers = {
  /** @param call its signal aborts when the caller no longer waits */
  [Name in CallName]: (request: Request<Name>, call: { signal: AbortSignal }) => Promise<Response<Name>>
}
