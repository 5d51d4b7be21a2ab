// The thread that reads imports: a large document takes seconds, in which the control plane must go on.
import { answerQuestions } from '@probe-mesh/runtime/warm-thread'
import { readText } from './read-text.ts'

answerQuestions(readText)
