import type { BenchContext } from './run-bench.ts'
import { writeScaleDocument } from './scale/document.ts'

/** Measures nothing: writes the tables of `docs/scale.md` from the newest results. */
export const deriveScale = async ({ say }: BenchContext): Promise<void> => {
  await writeScaleDocument()
  say('wrote the tables of docs/scale.md')
}
