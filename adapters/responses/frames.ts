import { LateFrame } from '../../src/canonical/late-frame.ts'

/** Brings the response as it stands, all of it. */
export class ResponseFrame extends LateFrame {}
