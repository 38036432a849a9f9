import { standStillOn } from '../src/models/today.ts'

/** Before every file on both runtimes: models end, and prices change, while these tests are still run. */
standStillOn('2026-11-28')
