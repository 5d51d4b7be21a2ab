/**
 * A value that exists when a hook or test runs, as a constant of the file: each use reads it anew.
 * @param read throws before its value exists
 */
export const lazy = <T extends object>(read: () => T): T => new Proxy({} as T, handlersOf(read))

/** The same for a value that is called. */
export const lazyFunction = <T extends (...parameters: never[]) => unknown>(read: () => T): T =>
  new Proxy((() => {}) as unknown as T, handlersOf(read))

const handlersOf = <T extends object>(read: () => T): ProxyHandler<T> => ({
  apply: (_target, _this, parameters) => Reflect.apply(read() as never, undefined, parameters),
  get: (_target, key) => {
    const value = read()
    const property: unknown = Reflect.get(value, key)
    // a method of a class may need its own fields
    return typeof property === 'function' && !Object.hasOwn(value, key) ? property.bind(value) : property
  },
  set: (_target, key, value) => Reflect.set(read(), key, value),
  has: (_target, key) => Reflect.has(read(), key),
  ownKeys: () => Reflect.ownKeys(read()),
  getPrototypeOf: () => Reflect.getPrototypeOf(read()),
  getOwnPropertyDescriptor: (_target, key) => {
    const found = Reflect.getOwnPropertyDescriptor(read(), key)
    return found && { ...found, configurable: true }
  },
})
