import { decodeDynamic, decodeStored, encodeDynamic, parseStored } from './dynamic.ts'

/** Values as Terraform sends them and as its state files hold them, for the server's calls. */
export const valueCodec = {
  decode: decodeDynamic,
  encode: encodeDynamic,
  parseStored,
  decodeStored,
}
