import { aiDrivers } from './driver-ai.ts'
import { anthropicDriver } from './driver-anthropic.ts'
import { genaiDriver } from './driver-genai.ts'
import { openaiDriver } from './driver-openai.ts'
import type { Driver } from './driver.ts'

export const DRIVERS: readonly Driver[] = [anthropicDriver, genaiDriver, openaiDriver, ...aiDrivers]
