import { cutNesting } from './cut-nesting.ts'

/** Of what an SDK sends: far more than any has, far less than a stack takes. */
export const nestingMax = 100

/** JSON of which everything below `nestingMax` is cut, and marked; undefined for what is none. Never throws. */
export const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(cutNesting(bytes, nestingMax)))
  } catch {
    return undefined
  }
}
