// The thread that estimates passwords. Its dictionaries need 65 MB, and a complex password needs 0.5 s.
import { answerQuestions } from '@probe-mesh/runtime/warm-thread'
import { weaknessOf } from './estimate.ts'

answerQuestions(weaknessOf)
