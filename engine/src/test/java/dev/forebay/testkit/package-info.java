// SPDX-License-Identifier: Apache-2.0
/** What tests of any package may use. */
package dev.forebay.testkit;
