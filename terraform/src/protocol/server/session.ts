import type { Path } from '../diagnostic.ts'
import type { CallContext, DataSource, Provider, Resource } from '../resource.ts'
import { typeOf, type Schema } from '../schema.ts'
import { isObject, type Type, type ObjectValue, type Value } from '../value.ts'
import type { DynamicValue } from '../wire/messages.ts'

type Unreadable = { ok: false; problem: { path: Path; message: string } }
type Decoded = { ok: true; value: Value } | Unreadable

/** Reads and writes values on the wire and in state files. */
export type ValueCodec = {
  decode(type: Type, encoded: DynamicValue): Decoded
  encode(type: Type, value: Value): Uint8Array
  /** Parses JSON; whole numbers beyond 2^53 become bigints. */
  parseStored(json: Uint8Array): { ok: true; stored: unknown } | Unreadable
  /** Reads a stored value: unknown attributes are dropped, missing ones are null. */
  decodeStored(type: Type, stored: unknown): Decoded
}

export type ServerCapabilities = { codec: ValueCodec; log: CallContext['log'] }

/** The state that the calls of one process share: Terraform starts a process for each configuration. */
export type Session<Client> = ServerCapabilities & {
  provider: Provider<Client>
  /** Aborted by StopProvider. */
  stop: AbortController
  /** null until ConfigureProvider has answered without errors. */
  client: Client | null
}

export const contextOf = ({ stop, log }: Session<unknown>, call: { signal: AbortSignal }): CallContext => {
  let signal: AbortSignal | null = null
  return {
    log,
    // created on demand: most calls send no request
    get signal() {
      // both signals live as long as the call
      // oxlint-disable-next-line no-restricted-properties
      signal ??= AbortSignal.any([stop.signal, call.signal])
      return signal
    },
  }
}

/** @throws when Terraform has not configured the provider */
export const clientOf = <Client>({ client }: Session<Client>): Client => {
  if (client === null) throw new Error('Terraform has not configured the provider.')
  return client
}

/** @throws when no resource has this name: Terraform only sends names of the schema */
export const resourceOf = <Client>({ provider }: Session<Client>, name: string): Resource<Client> => {
  const found = provider.resources.find((resource) => resource.name === name)
  if (found === undefined) throw new Error(`There is no resource ${name}.`)
  return found
}

/** @throws when no data source has this name */
export const dataSourceOf = <Client>({ provider }: Session<Client>, name: string): DataSource<Client> => {
  const found = provider.dataSources.find((source) => source.name === name)
  if (found === undefined) throw new Error(`There is no data source ${name}.`)
  return found
}

/**
 * @param what is decoded, for the error
 * @returns null: there is no object
 * @throws when the value does not match the schema
 */
export const decodeObject = (
  { codec }: Session<unknown>,
  { schema, what }: { schema: Schema; what: string },
  encoded: DynamicValue | null,
): ObjectValue | null => {
  if (encoded === null) return null
  return toObjectOrNull(what, codec.decode(typeOf(schema), encoded))
}

/**
 * @param what is decoded, for the error
 * @throws when it is not an object
 */
export const toObjectOrNull = (what: string, decoded: Decoded): ObjectValue | null => {
  if (!decoded.ok) throw new Error(`The ${what} cannot be read: ${decoded.problem.message}`)
  if (decoded.value === null || isObject(decoded.value)) return decoded.value
  throw new Error(`The ${what} is not an object.`)
}

/** @throws when there is no object */
export const decodeConfig = (
  session: Session<unknown>,
  schema: Schema,
  encoded: DynamicValue | null,
): ObjectValue => {
  const config = decodeObject(session, { schema, what: 'configuration' }, encoded)
  if (config === null) throw new Error('There is no configuration.')
  return config
}

export const encodeObject = (
  { codec }: Session<unknown>,
  schema: Schema,
  value: ObjectValue | null,
): DynamicValue => ({ msgpack: codec.encode(typeOf(schema), value), json: new Uint8Array() })
