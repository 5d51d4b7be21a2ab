import { createVisitor } from './visitor.ts'

/** A program for tests to kill: it visits a page that never answers, in a separate Chromium. */
const [chromium = '', url = ''] = process.argv.slice(2)

await createVisitor(chromium).visit({ url }, { deadlineMs: 120_000 })
