// The thread in which readings are read first.
import { decodeMessage } from '../decode.ts'
import { answerFirstReads } from './first-reader.ts'

answerFirstReads(decodeMessage)
