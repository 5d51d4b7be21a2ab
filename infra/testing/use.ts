import { afterEach, beforeAll, beforeEach } from 'vitest'
import { closeWithFile } from './close-with-file.ts'
import { lazy } from './lazy.ts'

type Made = object & { close?: unknown }

/**
 * What the tests of a file share, made before them and closed after them: read it in hooks and tests.
 * @param make what it makes may have a `close`
 * @param timeoutMs as of any hook
 */
export const useOnce = <T extends Made>(make: () => T | Promise<T>, timeoutMs?: number): T => {
  let made: T | undefined
  beforeAll(async () => {
    const value = await make()
    made = value
    closeWithFile(async () => close(value))
  }, timeoutMs)
  return lazy(() => of(made))
}

/** The same, made before each test and closed after it. */
export const useEach = <T extends Made>(make: () => T | Promise<T>): T => {
  let made: T | undefined
  beforeEach(async () => void (made = await make()))
  afterEach(async () => {
    if (made !== undefined) await close(made)
    made = undefined
  })
  return lazy(() => of(made))
}

const of = <T>(made: T | undefined): T => {
  if (made === undefined) throw new Error('no hook has made this value yet')
  return made
}

const close = async (made: Made): Promise<void> => {
  if (typeof made.close === 'function') await made.close()
}
