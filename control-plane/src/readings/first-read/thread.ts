// The thread in which readings are read on trial.
import { decodeMessage } from '../decode.ts'
import { answerTrials } from './first-reader.ts'

answerTrials(decodeMessage)
