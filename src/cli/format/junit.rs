//! JUnit XML, which most CI systems read.

use std::time::Duration;

use anyhow::Result;
use quick_junit::{NonSuccessKind, Report, TestCase as Case, TestCaseStatus, TestSuite};

use super::{Outcome, TestCase};

/// The start of a file, by which it may be overwritten.
pub const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perft\"";

/// A `testsuite` for each group, with a `testcase` for each case.
pub fn xml(cases: &[TestCase]) -> Result<String> {
    let mut report = Report::new("perft");
    report.set_time(time(cases));
    for group in cases.chunk_by(|one, next| one.group == next.group) {
        let mut suite = TestSuite::new(&*group[0].group);
        suite.set_time(time(group)).add_test_cases(group.iter().map(junit_case));
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?)
}

fn time(cases: &[TestCase]) -> Duration {
    cases.iter().map(|case| Duration::try_from_secs_f64(case.seconds).unwrap_or_default()).sum()
}

fn junit_case(case: &TestCase) -> Case {
    let non_success = |kind, message: &str, text: &str, name: &str| {
        let mut status = TestCaseStatus::non_success(kind);
        status.set_message(message).set_type(name).set_description(text);
        status
    };
    let status = match &case.outcome {
        Outcome::Passed(_) => TestCaseStatus::success(),
        Outcome::Skipped(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(&**reason);
            status
        }
        Outcome::Failed(title, text) => {
            non_success(NonSuccessKind::Failure, title, text, "mismatch")
        }
        Outcome::Error(text) => non_success(NonSuccessKind::Error, text, text, "error"),
    };
    let mut junit = Case::new(&*case.name, status);
    junit.set_classname(&*case.group).set_time(time(std::slice::from_ref(case)));
    junit
}
