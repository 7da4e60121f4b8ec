// SPDX-License-Identifier: Apache-2.0
package dev.forebay.temporal;

/** The columns of an execution by which its changes are fenced. Immutable. */
public record ExecutionVersions(long dbRecordVersion, long nextEventId) {}
