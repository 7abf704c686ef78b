"""Forms that the employer hands in: claim form and employer's report."""

from citation_pipeline_tests.sample_claim.drawing import Style
from citation_pipeline_tests.sample_claim.flow import Cell, Paper, form_row

HAND = Style("Courier", 10.5, weight=1)


def dwc1(new) -> Paper:
    """The claim form as it came off the fax: drawn here, then scanned."""
    paper = new(style=Style("Times", 9.5), margin=(48, 58, 48, 50))
    paper.stamp(
        "FROM HARBOR LOAF HR    SEP-16-2024 16:41    5625550148    P.01/01",
        x=60,
        y=22,
        style=Style("Courier", 8),
    )
    paper.title(
        "Workers' Compensation Claim Form (DWC 1) & Notice of Potential Eligibility", size=12, after=1
    )
    paper.title("Petición del Empleado para Compensación del Trabajador (DWC 1)", size=10, after=6)
    paper.line(
        "Employee: fill in the upper section only. Empleado: complete la sección superior solamente.", after=6
    )
    paper.section("EMPLOYEE / EMPLEADO", shaded=True)
    style = {"value": HAND, "height": 30, "label_size": 7.5}
    form_row(
        paper,
        Cell("Name / Nombre", "{full_name|Leocadia Barragán}", 3),
        Cell("Today's date / Fecha de hoy", "9/16/24", 2),
        **style,
    )
    form_row(paper, Cell("Home address / Dirección", "614 Obispo Avenue, Long Beach, CA 90804"), **style)
    form_row(
        paper,
        Cell("Date of injury / Fecha de la lesión", "{date_of_injury|9/12/24}", 2),
        Cell("Time of injury / Hora", "7:15 pm", 1),
        Cell("Social Security no.", "XXX-XX-7718", 2),
        **style,
    )
    form_row(
        paper,
        Cell("Where it happened / Dónde ocurrió", "{injury_location|Plant B, proofing room 2}"),
        **style,
    )
    form_row(
        paper,
        Cell(
            "Describe the injury and part of body / Describa la lesión y parte del cuerpo",
            "Dough rack tipped, pulled right arm, fell on right knee",
        ),
        **style,
    )
    form_row(paper, Cell("Signature / Firma"), Cell("Telephone / Teléfono", "562 555 0193"), **style)
    paper.scribble(paper.left + 84, paper.y - 7, seed="Leocadia Barragán", scale=0.75)
    paper.gap(12)
    paper.section("EMPLOYER / EMPLEADOR", shaded=True)
    form_row(
        paper,
        Cell("Employer / Nombre del empleador", "{employer.name|Harbor Loaf Baking Company, Inc.}"),
        **style,
    )
    form_row(
        paper,
        Cell("Address / Dirección", "{employer.address|2275 W. Anaheim Street, Long Beach, CA 90813}"),
        **style,
    )
    form_row(
        paper,
        Cell("Date employer first knew / Fecha de conocimiento", "{date_reported|9/13/24}"),
        Cell("Date form given / Entregado", "9/13/24"),
        Cell("Date form received / Recibido", "9/16/24"),
        **style,
    )
    form_row(
        paper,
        Cell(
            "Insurance carrier / Compañía de seguros",
            "{insurance_carrier|Cordillera Pacific Insurance Company}",
            3,
        ),
        Cell("Policy no. / Póliza", "{policy_number|CPI-WC-5530217-03}", 2),
        **style,
    )
    form_row(paper, Cell("Signature of employer representative"), Cell("Title", "HR generalist"), **style)
    paper.scribble(paper.left + 60, paper.y - 6, seed="Odalys Trent", scale=0.5)
    paper.gap(10)
    paper.para(
        "Any person who makes or causes to be made any knowingly false or fraudulent material statement for "
        "the purpose of obtaining or denying workers' compensation benefits or payments is guilty of a "
        "felony.",
        style=Style("Times", 8.5),
    )
    return paper


def form_5020(new) -> Paper:
    style = Style("Courier", 8.6)
    paper = new(style=style, margin=(34, 34, 34, 34))
    paper.line("STATE OF CALIFORNIA", style=Style("Helvetica", 7), align="center")
    paper.line(
        "Employer's Report of Occupational Injury or Illness",
        style=Style("Helvetica", 12, weight=1),
        align="center",
        layout="title",
        after=4,
    )
    box = {"value": style, "label_size": 6.2, "height": 25}

    def row(*cells: Cell) -> None:
        form_row(paper, *cells, **box)

    def band(text: str) -> None:
        paper.frame(paper.left, paper.y, paper.span, 11, fill=0.82)
        paper.stamp(text, x=paper.left + 4, y=paper.y + 1.5, style=Style("Helvetica", 6.8, weight=1))
        paper.y += 11

    band("EMPLOYER")
    row(
        Cell("1. Firm name", "{employer.name|Harbor Loaf Baking Company, Inc.}", 3),
        Cell("1A. Policy number", "{policy_number|CPI-WC-5530217-03}", 2),
    )
    row(
        Cell(
            "2. Mailing address (number, street, city, ZIP)",
            "{employer.address|2275 W. Anaheim Street, Long Beach, CA 90813}",
            3,
        ),
        Cell("2A. Phone", "562-555-0140", 1),
    )
    row(
        Cell("3. Location, if different", "Plant B", 2),
        Cell("4. Nature of business", "Commercial bakery", 2),
        Cell("5. State UI account no.", "418-2207-6", 2),
    )
    row(
        Cell(
            "6. Type of employer",
            "[X] Private   [ ] State   [ ] County   [ ] City   [ ] School district   [ ] Other",
        )
    )
    band("INJURY OR ILLNESS")
    row(
        Cell("7. Date of injury / onset of illness", "{date_of_injury|09-12-24}", 3),
        Cell("8. Time of injury", "7:15 PM", 2),
        Cell("9. Time employee began work", "3:00 PM", 2),
        Cell("10. If employee died, date", "", 2),
    )
    row(
        Cell("11. Unable to work at least one full day after date of injury?", "[X] Yes [ ] No", 3),
        Cell("12. Date last worked", "09-12-24", 2),
        Cell("13. Date returned to work", "", 2),
        Cell("14. If still off work, check", "[X]", 2),
    )
    row(
        Cell("15. Paid full wages for date of injury?", "[X] Yes [ ] No", 2),
        Cell("16. Salary being continued?", "[ ] Yes [X] No", 2),
        Cell("17. Date of employer's knowledge of injury", "{date_reported|09-13-24}", 2),
        Cell("18. Date claim form was provided", "09-13-24", 2),
    )
    row(Cell("19. Specific injury and part of body affected", "Sprain; R shoulder, R knee"))
    row(
        Cell("20. Location where event occurred", "{injury_location|Plant B, proofing room 2}", 3),
        Cell("20A. County", "Los Angeles", 1),
        Cell("21. On employer's premises?", "{on_employer_premises|[X] Yes [ ] No}", 2),
    )
    row(
        Cell("22. Department", "Production, second shift", 2),
        Cell("23. Other workers injured in this event?", "[ ] Yes [X] No", 2),
    )
    row(
        Cell(
            "24. Equipment, materials and chemicals in use", "Dough rack, 4 casters, about 300 lb loaded", 2
        ),
        Cell("25. Specific activity being performed", "Moving rack from mixer to proofing room", 2),
    )
    row(
        Cell(
            "26. How injury occurred. Describe sequence of events",
            "{mechanism_of_injury|A caster of the loaded dough rack she was pushing locked, the rack tipped "
            "and dragged her right arm down, and she fell onto her right knee.}",
        )
    )
    row(
        Cell(
            "27. Name and address of physician",
            "Dockside Occupational Clinic, 900 Santa Fe Avenue, Long Beach",
            3,
        ),
        Cell("28. Hospitalized overnight?", "[ ] Yes [X] No", 1),
    )
    band("EMPLOYEE")
    row(
        Cell("30. Employee name", "{full_name|Leocadia Barragán}", 3),
        Cell("31. Social Security number", "XXX-XX-7718", 2),
        Cell("32. Date of birth", "{date_of_birth|06-23-79}", 2),
    )
    row(
        Cell("33. Home address", "614 Obispo Avenue, Long Beach, CA 90804", 3),
        Cell("33A. Phone", "562-555-0193", 1),
    )
    row(
        Cell("34. Sex", "[ ] Male [X] Female", 2),
        Cell("35. Occupation (regular job title)", "{occupation|Bakery production lead}", 3),
        Cell("36. Date of hire", "{date_of_hire|03-04-13}", 2),
    )
    row(
        Cell("37. Employee usually works", "8 hours/day, 5 days/week, 40 total weekly hours", 3),
        Cell("37A. Employment status", "[X] Full-time [ ] Part-time [ ] Seasonal", 2),
    )
    row(
        Cell("38. Gross wages / salary", "{hourly_rate|$27.40} per hour", 2),
        Cell("38A. Gross weekly", "{average_weekly_wage=1096.00|$1,096.00}", 1),
        Cell("39. Other payments not reported as wages?", "[ ] Yes [X] No", 2),
    )
    row(
        Cell("Completed by", "Odalys Trent", 2),
        Cell("Signature and title", "", 3),
        Cell("Date", "09-17-24", 1),
    )
    paper.scribble(paper.left + paper.span * 0.42, paper.y - 5, seed="Odalys Trent", scale=0.5)
    paper.gap(5)
    paper.line(
        "FORM 5020 (facsimile of Rev. 7). Filing this report is not an admission of liability.",
        style=Style("Helvetica", 6.5),
    )
    return paper
