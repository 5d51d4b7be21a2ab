/** Messages between parent and child. The channel closes when the parent ends. */
export type StartMessage = {
  readonly kind: 'start'
  readonly dataDir: string
  readonly database: string
  readonly user: string
  readonly password: string
  /** 0: any free port. */
  readonly port: number
}
export type ServerMessage =
  | { readonly kind: 'ready'; readonly port: number; readonly version: string }
  | { readonly kind: 'failed'; readonly message: string }

export const isStartMessage = (value: unknown): value is StartMessage =>
  hasKind(value, 'start') &&
  ['dataDir', 'database', 'user', 'password'].every((key) => typeof Reflect.get(value, key) === 'string') &&
  typeof Reflect.get(value, 'port') === 'number'

export const isServerMessage = (value: unknown): value is ServerMessage =>
  (hasKind(value, 'ready') && typeof Reflect.get(value, 'port') === 'number') ||
  (hasKind(value, 'failed') && typeof Reflect.get(value, 'message') === 'string')

const hasKind = (value: unknown, kind: string): value is object =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind
